# The agent's image, given when this is built.
ARG BASE=bot-bottle/agent-scripted:dev
FROM ${BASE}

USER root
# Java's packages put links to manual pages into a directory that a small system does not have.
RUN mkdir -p /usr/share/man/man1 && \
    apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      maven openjdk-17-jdk-headless && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/* /var/log/*
USER 1000:1000
