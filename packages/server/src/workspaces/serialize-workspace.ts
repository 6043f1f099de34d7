import { toTimestamp } from '../http/schema.ts'
import type { WorkspaceResponse, WorkspaceSettings } from './schemas.ts'
import type { Workspace } from './workspace.ts'

/** Serializes a workspace as Get user returns it. */
export function serializeWorkspace(workspace: Workspace): WorkspaceResponse {
  return {
    workspaceId: workspace.workspaceId,
    slug: workspace.slug,
    userId: workspace.userId,
    initialSetupComplete: workspace.initialSetupComplete,
    anonymousDataCollection: workspace.anonymousDataCollection,
    deleted: workspace.deletedAt === null ? null : toTimestamp(workspace.deletedAt),
  }
}

/** Serializes a workspace with its settings. */
export function serializeWorkspaceSettings(workspace: Workspace): WorkspaceSettings {
  const { settings } = workspace
  return {
    ...serializeWorkspace(workspace),
    name: workspace.name,
    theme: settings.theme ?? {},
    allowedRedirectURLs: [...(settings.allowedRedirectURLs ?? [])],
    allowedFrameOrigins: [...(settings.allowedFrameOrigins ?? [])],
    createdAt: toTimestamp(workspace.createdAt),
    updatedAt: toTimestamp(workspace.updatedAt),
  }
}
