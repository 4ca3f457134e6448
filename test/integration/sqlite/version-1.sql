-- bot-bottle.db as schema version 1 left it: the prototype's one table with two rows.
CREATE TABLE forge_state (
  forge          TEXT NOT NULL,
  owner          TEXT NOT NULL,
  repo           TEXT NOT NULL,
  issue_number   INTEGER NOT NULL,
  slug           TEXT NOT NULL,
  agent_name     TEXT NOT NULL,
  bottle_names   TEXT NOT NULL,
  backend_name   TEXT NOT NULL,
  agent_git_user TEXT NOT NULL,
  pr_number      INTEGER,
  status         TEXT NOT NULL CHECK (status IN ('running', 'frozen', 'destroyed')),
  last_checkin_at INTEGER,
  PRIMARY KEY (forge, owner, repo, issue_number)
);
INSERT INTO forge_state VALUES ('gitea', 'alice', 'demo', 2, 'coder-alice-demo-2-aaaaa', 'coder', '["default"]', 'docker', 'C <c@example.org>', 5, 'frozen', 1700000000000);
INSERT INTO forge_state VALUES ('gitea', 'alice', 'demo', 3, 'coder-alice-demo-3-bbbbb', 'coder', '["default"]', 'docker', 'C <c@example.org>', NULL, 'destroyed', 1700000001000);
PRAGMA user_version = 1;
