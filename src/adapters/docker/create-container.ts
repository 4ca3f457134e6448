import type Docker from 'dockerode';

/**
 * dockerode puts all that it is given into the address, too, where whatever stands before the engine logs it, or finds it
 * too long. Of these two fields it takes the one and sends the other. Errors: the engine's.
 */
export function createContainer(
  docker: Docker,
  { name, ...body }: Docker.ContainerCreateOptions,
): Promise<Docker.Container> {
  const parts = { _query: { name }, _body: body };
  return docker.createContainer(parts as Docker.ContainerCreateOptions);
}
