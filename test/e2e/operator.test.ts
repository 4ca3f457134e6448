/** What shares one stack, which it leaves as it was, but for the last: it stops `up`. Each runs by itself, too. */
import './operator/secrets.js';
import './operator/commands.js';
import './operator/verbs.js';
import './operator/buttons.js';
import './operator/vanished.js';
import './operator/api.js';
import './operator/agent-faults.js';
import './operator/local-runs.js';
import './operator/up-stops.js';
