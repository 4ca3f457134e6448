/** Somebody signed in to the pages of the forge, for what its API can't do. */
export class PageSession {
  readonly #cookies = new Map<string, string>();

  private constructor(private readonly url: string) {}

  static async signIn(url: string, login: string, password: string): Promise<PageSession> {
    const session = new PageSession(url);
    await session.post('/user/login', { user_name: login, password });
    const answer = await session.#send('/user/settings', { method: 'GET' });
    if (answer.status !== 200) throw new Error(`${login} is not signed in: ${String(answer.status)}`);
    return session;
  }

  /** Sends a form. Errors: an answer other than success or a redirection. */
  async post(path: string, form: Readonly<Record<string, string>>): Promise<void> {
    const answer = await this.#send(path, { method: 'POST', body: new URLSearchParams(form) });
    if (answer.status >= 400)
      throw new Error(`POST ${path}: ${String(answer.status)} ${(await answer.text()).slice(0, 300)}`);
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.url + path, { ...request, redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }
}
