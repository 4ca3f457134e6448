/**
 * Given to node with NODE_OPTIONS=--import: the worker of `up` kills itself each time it is about to publish what an
 * `open_pr` with POISON in its title asks for.
 */
if (process.argv[1]?.endsWith('/dist/worker.js')) {
  const { SystemGitRepository } = await import('../../../dist/adapters/git/system-git-repository.js');
  const { publish } = SystemGitRepository.prototype;
  SystemGitRepository.prototype.publish = function (request) {
    if (request.texts.some(({ text }) => text.includes('POISON'))) process.kill(process.pid, 'SIGKILL');
    return publish.call(this, request);
  };
}
