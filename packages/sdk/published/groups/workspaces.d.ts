import type { CreateWorkspace, DeletedWorkspace, UpdateWorkspace, WorkspaceSettings } from '../api-types.js';
import { Group } from '../group.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../send.js';
/** Workspaces that own all other resources. */
export declare class Workspaces extends Group {
    /** Creates a workspace of the user. */
    create(body?: CreateWorkspace, options?: RequestOptions): Promise<WorkspaceSettings>;
    /** The workspaces that the token can access, oldest first. */
    list(options?: RequestOptions): List<WorkspaceSettings>;
    /** Changes the settings. Each given field is replaced as a whole. */
    update(workspaceId: string, body?: UpdateWorkspace, options?: RequestOptions): Promise<WorkspaceSettings>;
    /** Erases a workspace and everything in it. */
    delete(workspaceId: string, options?: RequestOptions): Promise<DeletedWorkspace>;
}
