/** Of workers, which load it by its path and with `require`: what went wrong is encrypted like everything else. */
import common = require('@temporalio/common');

export = { failureConverter: new common.DefaultFailureConverter({ encodeCommonAttributes: true }) };
