import { createWorkspaceOperation } from './create-workspace.ts'
import { listWorkspacesOperation } from './list-workspaces.ts'
import { updateWorkspaceOperation } from './update-workspace.ts'

export const WORKSPACE_OPERATIONS = [
  createWorkspaceOperation,
  listWorkspacesOperation,
  updateWorkspaceOperation,
]
