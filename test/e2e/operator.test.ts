/** What shares one stack, which it leaves as it was. Each runs by itself, too. */
import './operator/buttons.js';
import './operator/vanished.js';
