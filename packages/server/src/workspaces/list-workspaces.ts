import type { Readable } from 'node:stream'
import type { Caller } from '../auth/caller.ts'
import { joinPages } from '../http/join-pages.ts'
import { createSerializer } from '../http/serializer.ts'
import { serializeWorkspaceSettings, WorkspaceSettings } from './schemas.ts'
import type { WorkspaceStore } from './workspace-store.ts'

/** The workspaces that the token can access, oldest first (interface: List workspaces), as JSON. */
export function listWorkspaces(
  deps: { readonly workspaces: WorkspaceStore },
  caller: Caller,
): Promise<string | Readable> {
  return joinPages(readPages(deps.workspaces, caller))
}

async function* readPages(workspaces: WorkspaceStore, caller: Caller): AsyncGenerator<string[]> {
  for await (const page of workspaces.listPages(caller))
    yield page.map((workspace) => stringify(serializeWorkspaceSettings(workspace)))
}

const stringify = createSerializer(WorkspaceSettings)
