/** What the orchestrator keeps on this machine, as `gc` shows it. Sizes are bytes on the disk, times epoch milliseconds. */

/** Of one run; `null`: could not be measured. */
export interface RunUsage {
  readonly slug: string;
  /** `unknown`: no row tells whose it is. */
  readonly state: 'alive' | 'ended' | 'unknown';
  /** `null` while it lives, and when nobody knows. */
  readonly endedAt: number | null;
  readonly workspace: number | null;
  /** The volume with the agent's home. */
  readonly home: number | null;
  readonly transcript: number;
  readonly turns: number;
  /** What else of the host's own goes with them. */
  readonly rest: number;
  /** Commits that nobody else may have, and beside them whose they are: they are left. */
  readonly stays: number;
  /** Directories that its end should have removed are still there. */
  readonly unfinished: boolean;
}

export interface MirrorUsage {
  readonly directory: string;
  /** A run that lives works on its repository. */
  readonly inUse: boolean;
  readonly usedAt: number;
  readonly bytes: number;
}

/** An image that was built for a bottle. */
export interface ImageUsage {
  readonly reference: string;
  readonly createdAt: number;
  /** Some container is made from it. */
  readonly inUse: boolean;
  /** Layers that others share are counted with each. */
  readonly bytes: number;
}

export interface BlobUsage {
  readonly ref: string;
  /** When the same content was last put there. */
  readonly storedAt: number;
  /** A row of the database names it. */
  readonly referenced: boolean;
  readonly bytes: number;
}

export interface HomeUsage {
  readonly runs: readonly RunUsage[];
  readonly mirrors: readonly MirrorUsage[];
  readonly images: readonly ImageUsage[];
  readonly blobs: readonly BlobUsage[];
  readonly databases: number;
  readonly logs: number;
  /** Quarantines, among them those that crashes left: the sweeper removes them. */
  readonly scratch: number;
}
