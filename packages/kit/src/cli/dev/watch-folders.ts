import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Folders that are watched. Editors replace files, so a watched file would soon be another one. */
export interface WatchedFolders {
  /** Watches the folders of these files as well, and calls once for new ones: what changed just before was not seen. */
  add(files: readonly string[]): void
  close(): void
}

/** Calls whenever something changes in a folder that was added. */
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
