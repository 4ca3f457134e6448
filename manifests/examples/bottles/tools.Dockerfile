FROM bot-bottle/agent-scripted:dev
USER root
RUN printf '#!/bin/sh\nexec grep -rn TODO "${1:-.}"\n' > /usr/local/bin/todo && chmod 0755 /usr/local/bin/todo
USER agent
