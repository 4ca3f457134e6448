/** Who watches which run in this process: a newer attachment takes over, the older one detaches. */
export class Attachments {
  private readonly bySlug = new Map<string, AbortController>();

  take(slug: string): AbortController {
    this.bySlug.get(slug)?.abort(new Error('a newer attachment took over'));
    const controller = new AbortController();
    this.bySlug.set(slug, controller);
    return controller;
  }

  /** Nobody here watches any run any longer; all go on. */
  detachAll(): void {
    for (const controller of this.bySlug.values()) controller.abort(new Error('the worker is going away'));
  }

  has(slug: string): boolean {
    return this.bySlug.has(slug);
  }

  leave(slug: string, controller: AbortController): void {
    if (this.bySlug.get(slug) === controller) this.bySlug.delete(slug);
  }
}
