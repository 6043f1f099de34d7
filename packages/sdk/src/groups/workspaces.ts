import type {
  CreateWorkspace,
  DeletedWorkspace,
  UpdateWorkspace,
  WorkspaceSettings,
} from '../api-types.ts'
import { Group } from '../group.ts'
import type { List } from '../list.ts'
import { path } from '../path.ts'
import type { RequestOptions } from '../send.ts'

/** Workspaces that own all other resources. */
export class Workspaces extends Group {
  /** Creates a workspace of the user. */
  create(body?: CreateWorkspace, options?: RequestOptions): Promise<WorkspaceSettings> {
    return this.sendPost('/workspace', body, options)
  }

  /** The workspaces that the token can access, oldest first. */
  list(options?: RequestOptions): List<WorkspaceSettings> {
    return this.listAll('/workspace', undefined, options)
  }

  /** Changes the settings. Each given field is replaced as a whole. */
  update(
    workspaceId: string,
    body?: UpdateWorkspace,
    options?: RequestOptions,
  ): Promise<WorkspaceSettings> {
    return this.sendPost(path`/workspace/${workspaceId}`, body, options)
  }

  /** Erases a workspace and everything in it. */
  delete(workspaceId: string, options?: RequestOptions): Promise<DeletedWorkspace> {
    return this.sendDelete(path`/workspace/${workspaceId}`, undefined, options)
  }
}
