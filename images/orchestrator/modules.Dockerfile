# The modules the service runs with. Built by script/images, whose context has the production node_modules
# (installed without running any script), Node's headers and node-gyp. better-sqlite3 is compiled here, for
# this Node and this libc. An image of its own: it takes minutes, and changes only with the lock file.
ARG FROM
FROM ${FROM} AS build

RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 make g++ && \
    rm -rf /var/lib/apt/lists/*
COPY tools /tools
COPY node_modules /opt/bot-bottle/node_modules
WORKDIR /opt/bot-bottle/node_modules/better-sqlite3
RUN JOBS=max node /tools/npm/node_modules/node-gyp/bin/node-gyp.js rebuild --release --nodedir=/tools/node && \
    mv build/Release/better_sqlite3.node /tmp/ && \
    rm -rf build deps src && \
    mkdir -p build/Release && \
    mv /tmp/better_sqlite3.node build/Release/
RUN cd /opt/bot-bottle && node -e 'new (require("better-sqlite3"))(":memory:").exec("select 1")'

FROM ${FROM}
COPY --from=build /opt/bot-bottle/node_modules /opt/bot-bottle/node_modules
