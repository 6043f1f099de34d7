import type { StoredSettings } from './workspace.ts'

/** Parses the `settings` column of a workspace. */
export function getStoredSettings({ settings }: { readonly settings: string }): StoredSettings {
  return JSON.parse(settings) as StoredSettings
}
