import type { Messages } from './messages.ts'

/** The name of a workspace for customers: `thisApp` when it has none, since slugs and link names are internal. */
export function workspaceDisplayName(
  { name }: { readonly name: string },
  { thisApp }: Pick<Messages, 'thisApp'>,
): string {
  return name.trim() === '' ? thisApp : name
}
