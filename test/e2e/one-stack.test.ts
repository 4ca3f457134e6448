/** What needs no settings of its own and leaves forge and `up` as they were. Each runs by itself, too. */
import './one-stack/buttons.js';
import './one-stack/vanished.js';
