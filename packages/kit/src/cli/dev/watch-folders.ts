import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Watches folders, because editors replace files, and a watched file would be the old one. */
export interface WatchedFolders {
  /**
   * Also watches the folders of these files, and calls back once for new folders, in case something has just changed.
   */
  add(files: readonly string[]): void
  close(): void
}

/** Calls back after each change in a watched folder. */
export function watchFolders(onChange: () => void): WatchedFolders {
  const watchers = new Map<string, FSWatcher>()
  return {
    add(files) {
      const folders = new Set(files.map((file) => dirname(file)))
      const added = [...folders].filter((folder) => !watchers.has(folder))
      for (const folder of added) watchers.set(folder, watch(folder, onChange))
      if (added.length > 0) onChange()
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
