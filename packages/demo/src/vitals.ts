import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { Chance } from './chance.ts'
import type { Machine } from './machine.ts'

const between = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** The figures of a simulated machine, each close to the previous one. */
export class Vitals {
  readonly #machine: Machine
  readonly #chance: Chance
  #startedAt: number
  #cpu: number
  #memory: number
  #disk: number
  #received = 0
  #sent = 0

  constructor(machine: Machine, now: number) {
    this.#machine = machine
    this.#chance = new Chance(`vitals ${machine.index}`)
    this.#startedAt = now - this.#chance.whole(1, 90 * 86_400) * 1000
    this.#cpu = this.#restingCpu
    this.#memory = machine.behavior === 'short of memory' ? 93 : this.#chance.whole(25, 70)
    this.#disk = (100 * (machine.inventory.disks[0]?.usedBytes ?? 0)) / machine.diskBytes
  }

  get #restingCpu(): number {
    return this.#machine.behavior === 'busy' ? 91 : 4 + (this.#machine.index % 17)
  }

  restart(now: number): void {
    this.#startedAt = now
  }

  /** The next heartbeat. */
  next(now: number): Heartbeat {
    const drift = (width: number) => (this.#chance.share() - 0.5) * width
    this.#cpu = between(this.#cpu + (this.#restingCpu - this.#cpu) * 0.3 + drift(12), 0.3, 100)
    if (this.#chance.percent(3)) this.#cpu = between(this.#cpu + 50, 0, 100)
    this.#memory = between(this.#memory + drift(3), 12, 98)
    this.#disk = between(this.#disk + drift(0.1), 5, 99)
    this.#received += this.#chance.whole(20_000, 9_000_000)
    this.#sent += this.#chance.whole(10_000, 2_000_000)
    const { memoryBytes, diskBytes } = this.#machine
    const cores = this.#machine.inventory.hardware.cpuCores ?? 1
    return [
      Math.round(this.#cpu * 10) / 10,
      Math.floor((memoryBytes * this.#memory) / 100),
      memoryBytes,
      Math.floor((diskBytes * this.#disk) / 100),
      diskBytes,
      Math.round(this.#cpu * cores) / 100,
      Math.floor((now - this.#startedAt) / 1000),
      this.#received,
      this.#sent,
      this.#chance.whole(140, 420),
    ]
  }
}
