import type { StoredSettings } from './workspace.ts'

/** The settings that a workspace keeps. */
export function getStoredSettings({ settings }: { readonly settings: string }): StoredSettings {
  return JSON.parse(settings) as StoredSettings
}
