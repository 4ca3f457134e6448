/** A call of Gitea's API as a person, for setting up and driving a test; unlike the product's client it never repeats. */
export class Api {
  constructor(
    readonly url: string,
    private readonly authorization: string,
  ) {}

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text.slice(0, 300)}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }

  async object(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.call(method, path, body);
    if (typeof answer !== 'object' || answer === null) throw new Error(`${method} ${path}: no object`);
    return answer as Record<string, unknown>;
  }

  async list(path: string): Promise<Record<string, unknown>[]> {
    const answer = await this.call('GET', path);
    // Gitea's word for an empty list of reactions.
    if (answer === null) return [];
    if (!Array.isArray(answer)) throw new Error(`GET ${path}: no list`);
    return answer as Record<string, unknown>[];
  }

  /** A list to its end, also where it is longer than a page. */
  async everyPage(path: string): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const more = await this.list(`${path}${path.includes('?') ? '&' : '?'}limit=50&page=${String(page)}`);
      if (more.length === 0) return all;
      all.push(...more);
    }
  }
}

export function withToken(url: string, token: string): Api {
  return new Api(url, `token ${token}`);
}

export function withPassword(url: string, login: string, password: string): Api {
  return new Api(url, `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`);
}

export function numberIn(object: Record<string, unknown>, key: string): number {
  const value = object[key];
  if (typeof value !== 'number') throw new Error(`no number ${key} in the answer`);
  return value;
}

export function textIn(object: Record<string, unknown>, key: string): string {
  const value = object[key];
  if (typeof value !== 'string') throw new Error(`no text ${key} in the answer`);
  return value;
}
