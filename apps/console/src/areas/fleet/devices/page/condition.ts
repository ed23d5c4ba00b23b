import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { systemParts } from './systemParts.ts'

export interface Remark {
  readonly tone: 'bad' | 'warn' | 'info'
  readonly text: string
  /** Since when, where that is known. */
  readonly since?: string | null
}

const nearlyFull = 97

/** Why a device is not online and up to date, the most important reason first. */
export function remarksOn(device: DeviceDetail): Remark[] {
  const { status, watchdogStatus, mainAgentSilentSince, autoUpdate, lastSeenAt, statusAt } = device
  const remarks: Remark[] = []
  if (status === 'offline') {
    if (lastSeenAt === null)
      remarks.push({
        tone: 'warn',
        text: 'The device enrolled but never reported. On the machine, “systemctl status muster-agent” shows whether the agent runs. A proxy or firewall may block it.',
      })
    else if (watchdogStatus === 'connected' || watchdogStatus === 'failover')
      remarks.push({
        tone: 'bad',
        text: 'The agent failed, but the watchdog is connected: the machine runs and has network. The watchdog restarts the agent. If that does not help, check the agent’s log on the machine.',
        since: mainAgentSilentSince ?? lastSeenAt,
      })
    else
      remarks.push({
        tone: 'warn',
        text: 'Agent and watchdog disconnected: the machine is off, asleep, or has no network. Commands are queued.',
        since: lastSeenAt,
      })
    if (device.updatingSince !== null)
      remarks.push({
        tone: 'bad',
        text: 'The device did not reconnect after an agent update. On the machine, the agent’s log shows how far the update got.',
        since: device.updatingSince,
      })
    for (const [what, percent] of [
      ['disk', device.diskPercent],
      ['memory', device.memoryPercent],
    ] as const)
      if (percent !== null && percent >= nearlyFull)
        remarks.push({
          tone: 'warn',
          text: `The ${what} was ${Math.round(percent)}% full at the last report. This may be why the device is offline.`,
        })
  }
  if (status !== 'offline' && watchdogStatus === 'failover')
    remarks.push({ tone: 'warn', text: 'The watchdog reports instead of the agent.', since: mainAgentSilentSince })
  if (status === 'online' && watchdogStatus === 'disconnected')
    remarks.push({
      tone: 'warn',
      text: 'The watchdog is not connected. The agent works, but would not be restarted if it failed.',
    })
  if (status === 'updating') remarks.push({ tone: 'info', text: 'Updating the agent.', since: device.updatingSince })
  if (status === 'provisioned')
    remarks.push({
      tone: 'info',
      text: 'Waiting for the agent to enroll. Run the installer on the machine with the key that was created for it.',
      since: device.createdAt,
    })
  if (status === 'quarantined')
    remarks.push({
      tone: 'bad',
      text: `Quarantined${device.quarantineReason ? `: ${device.quarantineReason}` : ''}. The device takes no commands until it is released under “More actions”.`,
      since: device.quarantinedAt ?? statusAt,
    })
  if (device.possibleDuplicates.length > 0)
    remarks.push({
      tone: 'warn',
      text: `This may be the same machine as ${device.possibleDuplicates.map(({ hostname }) => hostname).join(', ')}. Decommission the duplicate, or dismiss it under “More actions”.`,
    })
  if (status === 'decommissioned')
    remarks.push({
      tone: 'info',
      text: 'Decommissioned. Its history is kept.',
      since: device.decommissionedAt,
    })
  const reasons = systemParts(device.inventory?.system ?? {}).restart ?? []
  if (reasons.length > 0)
    remarks.push({
      tone: 'info',
      text: `The machine has to restart: ${reasons.join(', ')}.`,
      since: device.inventory?.collectedAt ?? null,
    })
  if (!autoUpdate) remarks.push({ tone: 'info', text: 'Auto-update of the agent is off.' })
  return remarks
}
