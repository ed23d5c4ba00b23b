import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk in memory, to test full disks. */
export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /**
   * @param path an empty folder, which the disk's end removes
   * @throws where mounting is not allowed
   */
  static mount(megabytes: number, path = mkdtempSync(join(tmpdir(), 'muster-disk-'))): SmallDisk {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'muster-test', path], { stdio: 'pipe' })
    } catch (error) {
      rmdirSync(path)
      throw error
    }
    return new SmallDisk(path)
  }

  /** Writes a file until nothing more fits. */
  fill(file: string): void {
    const filler = openSync(file, 'w')
    try {
      for (let bytes = 1024 * 1024; bytes >= 1; ) {
        try {
          writeSync(filler, Buffer.alloc(bytes))
        } catch {
          bytes = Math.floor(bytes / 2)
        }
      }
    } finally {
      closeSync(filler)
    }
  }

  unmount(): void {
    execFileSync('umount', [this.path])
    rmdirSync(this.path)
  }
}

/** Whether mounting is allowed on this machine. */
export const canMount = (() => {
  try {
    SmallDisk.mount(1).unmount()
    return true
  } catch {
    return false
  }
})()
