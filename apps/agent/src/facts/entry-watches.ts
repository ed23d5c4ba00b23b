import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'
import type { WatchedEntry } from '../platform/files/observe-file.ts'

interface WatchedFolder {
  readonly watcher: FSWatcher
  /** The facts that each entry concerns. */
  readonly facts: Map<string, Set<string>>
}

/** Systems differ in case and form of names; a look too many changes nothing. */
const comparable = (name: string): string => name.normalize('NFC').toLowerCase()

/** Watches folders for changes of single entries. Where a system cannot, facts wait for their next look. */
export class EntryWatches {
  readonly #changed: (id: string) => void
  readonly #failed: (error: unknown) => void
  readonly #folders = new Map<string, WatchedFolder>()

  constructor(changed: (id: string) => void, failed: (error: unknown) => void) {
    this.#changed = changed
    this.#failed = failed
  }

  /** Replaces what a fact watches. @returns whether something was not watched before, and may have changed meanwhile */
  watch(id: string, entries: readonly WatchedEntry[]): boolean {
    const wanted = new Set(entries.map(({ folder, name }) => `${folder}\0${comparable(name)}`))
    for (const [path, folder] of this.#folders) {
      for (const [name, ids] of folder.facts) {
        if (wanted.has(`${path}\0${name}`) || !ids.delete(id) || ids.size > 0) continue
        folder.facts.delete(name)
      }
      if (folder.facts.size === 0) this.#close(path, folder)
    }
    let isNew = false
    for (const { folder, name } of entries) isNew = this.#add(id, folder, comparable(name)) || isNew
    return isNew
  }

  stop(): void {
    for (const [path, folder] of this.#folders) this.#close(path, folder)
  }

  #add(id: string, path: string, name: string): boolean {
    const folder = this.#folders.get(path) ?? this.#open(path)
    if (folder === undefined) return false
    const ids = folder.facts.get(name) ?? new Set()
    if (ids.has(id)) return false
    folder.facts.set(name, ids.add(id))
    return true
  }

  #open(path: string): WatchedFolder | undefined {
    try {
      const watcher = watch(path, { persistent: false })
      const folder: WatchedFolder = { watcher, facts: new Map() }
      this.#folders.set(path, folder)
      watcher.on('change', (_event, name) => this.#onChange(path, folder, typeof name === 'string' ? name : undefined))
      watcher.on('error', () => this.#lose(path, folder))
      return folder
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  #onChange(path: string, folder: WatchedFolder, name: string | undefined): void {
    const ids = name === undefined ? undefined : folder.facts.get(comparable(name))
    for (const id of ids ?? []) this.#changed(id)
    // The folder itself was removed or renamed: its path leads elsewhere from now on.
    if (name === undefined || name === basename(path)) this.#lose(path, folder)
  }

  /** The next looks watch again. */
  #lose(path: string, folder: WatchedFolder): void {
    if (this.#folders.get(path) !== folder) return
    this.#close(path, folder)
    for (const ids of folder.facts.values()) for (const id of ids) this.#changed(id)
  }

  #close(path: string, { watcher }: WatchedFolder): void {
    this.#folders.delete(path)
    watcher.close()
  }
}
