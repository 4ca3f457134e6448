/**
 * Given to node with NODE_OPTIONS=--import: the worker of `up` kills itself each time it is about to publish what an
 * `open_pr` with POISON in its title asks for, and each time it reads an agent's line with DEADLY in it.
 */
if (process.argv[1]?.endsWith('/dist/worker.js')) {
  const { SystemGitRepository } = await import('../../../dist/adapters/git/system-git-repository.js');
  const { publish } = SystemGitRepository.prototype;
  SystemGitRepository.prototype.publish = function (request) {
    if (request.texts.some(({ text }) => text.includes('POISON'))) process.kill(process.pid, 'SIGKILL');
    return publish.call(this, request);
  };
  const { JsonLinesReader } = await import('../../../dist/adapters/agents/json-lines.js');
  const { read } = JsonLinesReader.prototype;
  JsonLinesReader.prototype.read = function (stream, text) {
    if (text.includes('DEADLY')) process.kill(process.pid, 'SIGKILL');
    return read.call(this, stream, text);
  };
}
