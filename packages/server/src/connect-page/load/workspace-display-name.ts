import type { SharedLink } from './shared-link-store.ts'

/** Who asks: the workspace, by its name. One that has none is known by the link's: a slug would say nothing to people. */
export function workspaceDisplayName({ link, workspace }: SharedLink): string {
  const names = [workspace.name, link.name, workspace.slug]
  return names.find((name) => name.trim() !== '') ?? ''
}
