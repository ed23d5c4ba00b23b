import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'

export interface Remark {
  readonly tone: 'bad' | 'warn' | 'info'
  readonly text: string
  /** Since when, where that is known. */
  readonly since?: string | null
}

const nearlyFull = 97

/** Why a device is not simply online and up to date, in words, the most important first. */
export function remarksOn(device: DeviceDetail): Remark[] {
  const { status, watchdogStatus, mainAgentSilentSince, autoUpdate, lastSeenAt, statusAt } = device
  const remarks: Remark[] = []
  if (status === 'offline') {
    if (lastSeenAt === null)
      remarks.push({
        tone: 'warn',
        text: 'It has enrolled but never reported. On the machine, “systemctl status muster-agent” says whether its agent runs; a proxy or firewall may keep it from the server.',
      })
    else if (watchdogStatus === 'connected' || watchdogStatus === 'failover')
      remarks.push({
        tone: 'bad',
        text: 'Its agent is silent, but its watchdog is connected: the machine runs and has network; the agent itself has failed. Its watchdog restarts it; if that does not help, look at the agent’s log on the machine.',
        since: mainAgentSilentSince ?? lastSeenAt,
      })
    else
      remarks.push({
        tone: 'warn',
        text: 'Neither its agent nor its watchdog is connected: the machine is off, asleep or without network. Nothing can be done from here; commands that are sent now wait for it.',
        since: lastSeenAt,
      })
    if (device.updatingSince !== null)
      remarks.push({
        tone: 'bad',
        text: 'It went away for an update of its agent and has not come back. On the machine, the agent’s log says how far the update came.',
        since: device.updatingSince,
      })
    for (const [what, percent] of [
      ['disk', device.diskPercent],
      ['memory', device.memoryPercent],
    ] as const)
      if (percent !== null && percent >= nearlyFull)
        remarks.push({
          tone: 'warn',
          text: `Its ${what} was ${Math.round(percent)} % full when it was last heard of, which may be why it is away.`,
        })
  }
  if (status !== 'offline' && watchdogStatus === 'failover')
    remarks.push({ tone: 'warn', text: 'The watchdog reports in place of the agent.', since: mainAgentSilentSince })
  if (status === 'online' && watchdogStatus === 'disconnected')
    remarks.push({ tone: 'warn', text: 'Its watchdog is not connected. The agent works, but nobody would restart it.' })
  if (status === 'updating')
    remarks.push({ tone: 'info', text: 'Its agent is being updated.', since: device.updatingSince })
  if (status === 'provisioned')
    remarks.push({
      tone: 'info',
      text: 'It is prepared and waits for its agent to enrol: run the installer on the machine with the key that was made for it.',
      since: device.createdAt,
    })
  if (status === 'quarantined')
    remarks.push({
      tone: 'bad',
      text: `It is quarantined${device.quarantineReason ? `: ${device.quarantineReason}` : ''}. It takes no commands until somebody releases it, by the menu of actions.`,
      since: device.quarantinedAt ?? statusAt,
    })
  if (device.possibleDuplicates.length > 0)
    remarks.push({
      tone: 'warn',
      text: `It may be the same machine as ${device.possibleDuplicates.map(({ hostname }) => hostname).join(', ')}. Decommission what is there twice, or say by the menu of actions that they are different machines.`,
    })
  if (status === 'decommissioned')
    remarks.push({
      tone: 'info',
      text: 'It is decommissioned. What was known of it stays.',
      since: device.decommissionedAt,
    })
  if (!autoUpdate)
    remarks.push({ tone: 'info', text: 'It does not update itself: automatic updates of its agent are held.' })
  return remarks
}
