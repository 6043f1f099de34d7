import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Folders that are watched. Editors replace files, so a watched file would soon be another one. */
export interface WatchedFolders {
  /** Watches the folders of these files as well. */
  add(files: readonly string[]): void
  close(): void
}

/** Calls whenever something changes in a folder that was added. */
export function watchFolders(changed: () => void): WatchedFolders {
  const watchers = new Map<string, FSWatcher>()
  return {
    add(files) {
      for (const folder of new Set(files.map((file) => dirname(file))))
        if (!watchers.has(folder)) watchers.set(folder, watch(folder, changed))
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
