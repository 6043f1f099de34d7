import type { Caller } from '../auth/caller.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { PoozleSource } from './poozle-source.ts'

/** What became of one row of Poozle. Contains no secrets. */
export interface PoozleReportLine {
  readonly kind: 'definition' | 'oauth_app' | 'link' | 'account'
  /** Its id in Poozle. */
  readonly id: string
  /** `found`: an earlier run has stored it. */
  readonly outcome: 'would_import' | 'imported' | 'found' | 'failed'
  /** Its id in Linchpin. */
  readonly newId?: string | undefined
  readonly reason?: string | undefined
}

export interface ImportPoozleOptions {
  readonly source: PoozleSource
  readonly caller: Caller
  /** The workspace of Poozle, and the one that receives its rows. */
  readonly from: string
  readonly workspaceId: WorkspaceId
  /** Definitions that exist here, by the keys of Poozle's. */
  readonly map: ReadonlyMap<string, string>
  /** Without it nothing is stored. */
  readonly applies: boolean
  readonly onLine: (line: PoozleReportLine) => void
}

/** The result of a row: its new id, and whether an earlier run has stored it. No id: it would be imported. */
export interface ImportedRow {
  readonly newId: string | undefined
  readonly isFound: boolean
}

/** A row that cannot be imported. */
export class RowError extends Error {}
