/** What shares one stack, which it leaves as it was. Each runs by itself, too. */
import './forge/events.js';
import './forge/failure-paths.js';
import './forge/failed-checks.js';
import './forge/pull-request-runs.js';
import './forge/repository-agents.js';
import './forge/repository-moves.js';
