/** What shares one stack, which it leaves as it was. Each runs by itself, too. */
import './sync/opencode.js';
import './sync/scripted.js';
