/** What shares one stack, which it leaves as it was. Each runs by itself, too. */
import './bottle/failure-paths.js';
import './bottle/secret-scan.js';
import './bottle/egress.js';
import './bottle/hostile-settling.js';
import './bottle/isolation-probes.js';
import './bottle/many-keys.js';
