import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { KnownBundle } from './known-bundles.ts'
import type { PoozleDefinition, PoozleSource } from './poozle-source.ts'

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
  /** What the imported row lacks. */
  readonly warning?: string | undefined
}

export interface ImportPoozleOptions {
  readonly source: PoozleSource
  readonly caller: Caller
  /** The workspace of Poozle, and the one that receives its rows. */
  readonly from: string
  readonly workspaceId: WorkspaceId
  /** Definitions that exist here, by the keys of Poozle's. */
  readonly map: ReadonlyMap<string, string>
  /** The only URLs that the pages of imported links may redirect to; empty: those of the workspace. */
  readonly redirectUrls: readonly string[]
  /** Without it nothing is stored. */
  readonly applies: boolean
  readonly onLine: (line: PoozleReportLine) => void
}

/** The result of a row: its new id, and whether an earlier run has stored it. No id: it would be imported. */
export interface ImportedRow {
  readonly newId: string | undefined
  readonly isFound: boolean
  readonly warning?: string | undefined
}

/** What a definition of Poozle has become. One that has failed is not among them. */
export interface ImportedDefinition {
  readonly row: PoozleDefinition
  /** Undefined in a dry run, if the definition would be created. */
  readonly definitionId: DefinitionId | undefined
  readonly bundle: KnownBundle | undefined
  /** The client of its OAuth app in Poozle, which has not failed. */
  clientId: string | undefined
}

/** By the ids in Poozle. */
export type ImportedDefinitions = ReadonlyMap<string, ImportedDefinition>

/** A row that cannot be imported. */
export class RowError extends Error {}
