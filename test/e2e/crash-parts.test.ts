/** What shares one stack. Each runs by itself, too; `parts` is first, for it counts how often each part ended. */
import './crash/parts.js';
import './crash/slots.js';
