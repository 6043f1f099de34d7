/** What the import reads of Poozle's database, with the names of its Prisma schema. Times are epoch milliseconds. */
export interface PoozleWorkspace {
  readonly workspaceId: string
  readonly slug: string
}

export interface PoozleDefinition {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly key: string
  readonly sourceUrl: string
  readonly integrationType: string
  /** Null for a definition that all workspaces share. */
  readonly workspaceId: string | null
}

export interface PoozleOAuthApp {
  readonly integrationOAuthAppId: string
  readonly integrationOAuthAppName: string
  readonly integrationDefinitionId: string
  readonly clientId: string
  readonly clientSecret: string
  /** Separated by commas. */
  readonly scopes: string
}

export interface PoozleLink {
  readonly linkId: string
  readonly linkName: string
  readonly canExpire: boolean
  /** Seconds after the creation. */
  readonly expiresIn: number
  readonly category: readonly string[] | null
  readonly integrationDefinitionId: string | null
  readonly preferOAuth: boolean
  readonly createdAt: number
}

export interface PoozleAccount {
  readonly integrationAccountId: string
  readonly integrationDefinitionId: string
  readonly integrationConfiguration: Readonly<Record<string, unknown>> | null
  readonly authType: string
  readonly integrationAccountName: string
  readonly accountIdentifier: string | null
  readonly linkId: string | null
  readonly createdAt: number
}

/** A snapshot of Poozle's database. Deleted rows are left out. */
export interface PoozleSource {
  listWorkspaces(): Promise<PoozleWorkspace[]>
  /** The definitions of a workspace, and the shared ones that it uses. */
  listDefinitions(workspaceId: string): Promise<PoozleDefinition[]>
  listOAuthApps(workspaceId: string): Promise<PoozleOAuthApp[]>
  listLinks(workspaceId: string): Promise<PoozleLink[]>
  /** In batches. */
  listAccounts(workspaceId: string): AsyncGenerator<PoozleAccount, void, undefined>
  close(): Promise<void>
}
