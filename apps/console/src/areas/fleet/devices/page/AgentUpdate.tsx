import type { UpdateHold } from '@muster/areas/control/rollouts/updates/updates.contract.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useRefreshOn } from '../../../../live/Live.tsx'
import { useApiQuery } from '../../../../queries.ts'
import { Badge, Card, Facts, type Tone } from '../../../../ui/page/display.tsx'
import { Pending } from '../../../../ui/page/states.tsx'
import { Ago } from '../../../../ui/text/time.tsx'

interface Words {
  readonly label: string
  readonly tone: Tone
  readonly advice: string
}

/** What a user can do; empty where waiting is enough. */
const words: Readonly<Record<UpdateHold, Words>> = {
  up_to_date: { label: 'Up to date', tone: 'good', advice: '' },
  no_rollout: { label: 'No rollout', tone: 'plain', advice: 'The device updates when a rollout starts.' },
  stopped: {
    label: 'All updates stopped',
    tone: 'bad',
    advice: 'A system administrator can resume updates under Agent versions.',
  },
  rollout_paused: {
    label: 'Paused',
    tone: 'warn',
    advice: 'A system administrator can resume the rollout under Agent versions.',
  },
  rollout_halted: {
    label: 'Halted',
    tone: 'bad',
    advice: 'Check why devices failed under Agent versions, then resume or cancel the rollout.',
  },
  no_executable: {
    label: 'No build',
    tone: 'warn',
    advice: 'Publish the version for this OS and processor.',
  },
  auto_update_off: {
    label: 'Auto-update off',
    tone: 'warn',
    advice: 'Turn on auto-update under “More actions”.',
  },
  maintenance: {
    label: 'In maintenance',
    tone: 'warn',
    advice: 'The device updates when its maintenance windows permit it.',
  },
  pinned: {
    label: 'Pinned',
    tone: 'info',
    advice: 'Remove the pin under Agent versions to follow rollouts.',
  },
  not_reached_yet: {
    label: 'Scheduled in a later ring',
    tone: 'plain',
    advice: 'No action needed.',
  },
  offline: {
    label: 'Waiting for device',
    tone: 'warn',
    advice: 'The update is offered within a minute of reconnecting.',
  },
  barred: {
    label: 'Blocked',
    tone: 'bad',
    advice: 'Check the device’s logs for the failure and publish a fixed version.',
  },
  refused: {
    label: 'Rejected by agent',
    tone: 'bad',
    advice: 'The agent found a problem with the executable, such as its signature or a lack of disk space.',
  },
  rolled_back: {
    label: 'Rolled back',
    tone: 'bad',
    advice: 'The new version did not start correctly on this machine. Check its logs from that time.',
  },
  in_progress: { label: 'Updating', tone: 'info', advice: '' },
  offered: {
    label: 'Offered',
    tone: 'info',
    advice: 'If this lasts for hours, check the agent’s log on the machine.',
  },
  unknown: {
    label: 'Unknown',
    tone: 'warn',
    advice: 'Workers cannot read the rollout state. Ask a system administrator to check them.',
  },
}

/** Whether the agent runs the target version, and if not, why and what to do. */
export function AgentUpdate({ device }: { readonly device: Device }) {
  const answer = useApiQuery((api) => api.rollouts.updates.get, { id: device.id }, { everyMs: 30_000 })
  useRefreshOn((event) => event.type === 'device.changed' && event.deviceId === device.id, ['rollouts.updates.get'])
  const update = answer.data
  if (!update)
    return (
      <Card title="Agent update">
        <Pending answer={answer} lines={3} />
      </Card>
    )
  const { label, tone, advice } = words[update.hold]
  const { agentVersion, target, why, state, error, reason, version, offers, offeredAt, nextOfferAt, barred } = update
  return (
    <Card title="Agent update" actions={<Badge tone={tone}>{label}</Badge>}>
      <div className="grid gap-3 text-sm">
        <p>
          {why}. {advice && <span className="text-muted">{advice}</span>}
        </p>
        <Facts
          facts={[
            ['Current version', agentVersion],
            ['Target version', target ?? 'none'],
            ...(version && offeredAt
              ? [
                  [
                    'Last offered',
                    <span key="offered">
                      {version}, <Ago at={offeredAt} />
                    </span>,
                  ] as const,
                  ['Attempts', offers] as const,
                ]
              : []),
            ...(state
              ? [['Agent report', [state, reason, error].filter(Boolean).join(': ').replaceAll('_', ' ')] as const]
              : []),
            ...(nextOfferAt ? [['Next offer', <Ago key="next" at={nextOfferAt} />] as const] : []),
            ...(barred.length > 0 ? [['Blocked versions', barred.join(', ')] as const] : []),
          ]}
        />
      </div>
    </Card>
  )
}
