import {
  GetProcess,
  KilledProcess,
  KillProcess,
  ListProcesses,
  type Process,
  ProcessDetail,
  ProcessList,
} from '@muster/wire/commands/processes.ts'
import { Chance } from '../chance.ts'
import type { Machine } from '../machine.ts'
import { Refusal, type Tools, tool } from './tool.ts'

const mib = 2 ** 20

interface Program {
  readonly name: string
  readonly command: string
  readonly user: 'system' | 'person'
}

const program = (command: string, user: Program['user'] = 'system'): Program => {
  const [path = command] = command.split(' -')
  return { name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1), command, user }
}

const system32 = 'C:\\Windows\\System32'
const programs: Readonly<Record<Machine['platform']['osType'], readonly Program[]>> = {
  windows: [
    program('System'),
    program(`${system32}\\smss.exe`),
    program(`${system32}\\csrss.exe`),
    program(`${system32}\\wininit.exe`),
    program(`${system32}\\services.exe`),
    program(`${system32}\\lsass.exe`),
    program(`${system32}\\svchost.exe -k DcomLaunch -p`),
    program(`${system32}\\svchost.exe -k netsvcs -p -s wuauserv`),
    program(`${system32}\\svchost.exe -k LocalServiceNetworkRestricted -p -s EventLog`),
    program(`${system32}\\spoolsv.exe`),
    program('C:\\ProgramData\\Microsoft\\Windows Defender\\Platform\\4.18.25100.9008-0\\MsMpEng.exe'),
    program('C:\\Windows\\explorer.exe', 'person'),
    program('C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', 'person'),
    program('C:\\Program Files\\Microsoft Office\\root\\Office16\\OUTLOOK.EXE', 'person'),
  ],
  linux: [
    program('/usr/lib/systemd/systemd --system'),
    program('/usr/lib/systemd/systemd-journald'),
    program('/usr/lib/systemd/systemd-timesyncd'),
    program('/usr/sbin/cron -f'),
    program('/usr/sbin/rsyslogd -n'),
    program('/usr/sbin/sshd -D'),
    program('/usr/sbin/nginx -g daemon on;'),
    program('/usr/bin/dockerd -H fd://'),
    program('/usr/bin/bash -l', 'person'),
  ],
  macos: [
    program('/sbin/launchd'),
    program('/usr/libexec/logd'),
    program('/usr/libexec/configd'),
    program('/usr/sbin/mDNSResponder'),
    program('/System/Library/CoreServices/WindowServer -daemon'),
    program('/System/Library/CoreServices/Finder.app/Contents/MacOS/Finder', 'person'),
    program('/System/Library/CoreServices/Dock.app/Contents/MacOS/Dock', 'person'),
    program('/Applications/Safari.app/Contents/MacOS/Safari', 'person'),
  ],
}
const accounts = { windows: 'NT AUTHORITY\\SYSTEM', linux: 'root', macos: 'root' } as const

/** The processes of a simulated machine. Ended ones stay ended until the machine restarts. */
export class Processes {
  readonly #running: Map<number, Process> = new Map()
  readonly #isWindows: boolean

  constructor({ index, platform: { osType }, inventory, memoryBytes }: Machine, now: number) {
    this.#isWindows = osType === 'windows'
    const chance = new Chance(`processes ${index}`)
    const person = inventory.users.find(({ admin }) => !admin)?.name ?? 'user'
    let pid = osType === 'windows' ? 4 : 1
    const first = pid
    for (const { name, command, user } of programs[osType]) {
      this.#running.set(pid, {
        pid,
        parentPid: pid === first ? 0 : first,
        name,
        command,
        user: user === 'system' ? accounts[osType] : person,
        state: chance.percent(90) ? 'S' : 'R',
        cpuPercent: chance.percent(70) ? 0 : chance.whole(1, 180) / 10,
        memoryBytes: Math.min(chance.whole(3, 420) * mib, memoryBytes / 8),
        threads: chance.whole(1, 64),
        startedAt: new Date(now - chance.whole(1_000, 900_000) * 1_000).toISOString(),
      })
      pid += chance.whole(1, 340) * (osType === 'windows' ? 4 : 1)
    }
  }

  get tools(): Tools {
    return {
      list_processes: tool(ListProcesses, ProcessList, () => ({
        processes: [...this.#running.values()],
        truncated: false,
      })),
      get_process: tool(GetProcess, ProcessDetail, ({ pid }) => this.#detail(this.#find(pid))),
      kill_process: tool(KillProcess, KilledProcess, ({ pid, signal }) => {
        const { name, parentPid } = this.#find(pid)
        if (this.#isWindows && signal !== 'TERM' && signal !== 'KILL')
          throw new Refusal('UNSUPPORTED_PLATFORM', `Windows has no signal ${signal}; TERM and KILL end the process`)
        if (parentPid === 0) throw new Refusal('DENIED', `${name} cannot be ended`)
        const ended = signal !== 'STOP' && signal !== 'CONT'
        if (ended) this.#running.delete(pid)
        return { pid, name, signal, ended }
      }),
    }
  }

  #find(pid: number): Process {
    const found = this.#running.get(pid)
    if (found === undefined) throw new Refusal('NOT_FOUND', `there is no process ${pid}`)
    return found
  }

  #detail(process: Process): ProcessDetail {
    const chance = new Chance(`process ${process.pid}`)
    return {
      ...process,
      executable: process.command.split(' -')[0] ?? null,
      workingDirectory: null,
      group: null,
      nice: 0,
      virtualBytes: process.memoryBytes * 4,
      openFiles: chance.whole(8, 600),
      readBytes: chance.whole(1, 900) * mib,
      writtenBytes: chance.whole(1, 200) * mib,
      controlGroup: null,
      children: [...this.#running.values()].filter(({ parentPid }) => parentPid === process.pid).map(({ pid }) => pid),
    }
  }
}
