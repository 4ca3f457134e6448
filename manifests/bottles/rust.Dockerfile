# The agent's image, given when this is built.
ARG BASE=bot-bottle/agent-scripted:dev
FROM ${BASE}

USER root
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      cargo-web rustc-web gcc libc6-dev && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/* /var/log/*
USER 1000:1000
