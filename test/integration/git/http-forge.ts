import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { closeServer, listenLocally, urlOf } from '../../support/http/loopback.js';

/** Forges one can push to over HTTP, with `git http-backend` (git-http-backend(1)) behind one accepted token. */
export class HttpForge {
  readonly requests: string[] = [];
  /** Command lines of every process of the machine that showed the token while a request was served. */
  readonly exposed: string[] = [];
  readonly #server: http.Server;
  /** Answers instead of the backend: a status, or `drop` to cut the connection. A function says whether nobody answers. */
  fault: { readonly status: number; readonly location?: string } | 'drop' | (() => boolean) | undefined;

  private constructor(
    private readonly projectRoot: string,
    private readonly token: string,
  ) {
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response);
    });
  }

  static async start(projectRoot: string, token: string): Promise<HttpForge> {
    const forge = new HttpForge(projectRoot, token);
    await listenLocally(forge.#server);
    return forge;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  stop(): Promise<void> {
    return closeServer(this.#server);
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    this.#lookForToken();
    if (this.fault === 'drop') {
      request.socket.destroy();
      return;
    }
    if (typeof this.fault === 'function') {
      if (this.fault()) return;
    } else if (this.fault !== undefined) {
      const { status, location } = this.fault;
      response.writeHead(status, location === undefined ? {} : { location }).end();
      return;
    }
    const password = Buffer.from(
      (request.headers.authorization ?? '').replace('Basic ', ''),
      'base64',
    ).toString();
    if (password.slice(password.indexOf(':') + 1) !== this.token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
      return;
    }
    this.#backend(request, response);
  }

  #backend(request: http.IncomingMessage, response: http.ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    const header = (name: string): string => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : '';
    };
    const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.projectRoot,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? '',
        CONTENT_TYPE: header('content-type'),
        HTTP_CONTENT_ENCODING: header('content-encoding'),
        GIT_PROTOCOL: header('git-protocol'),
      },
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      let status = 200;
      for (const line of output.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(': ', 2);
        if (name === 'Status') status = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.writeHead(status).end(output.subarray(end + 4));
    });
  }

  #lookForToken(): void {
    const forms = [this.token, Buffer.from(`bot-bottle:${this.token}`).toString('base64')];
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      let commandLine = '';
      try {
        commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        continue;
      }
      if (forms.some((form) => commandLine.includes(form)))
        this.exposed.push(commandLine.replaceAll('\0', ' '));
    }
  }
}
