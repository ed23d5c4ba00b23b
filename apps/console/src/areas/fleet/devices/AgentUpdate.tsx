import type { UpdateHold } from '@muster/areas/control/rollouts/updates.contract.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { Badge, Card, Facts, type Tone } from '../../../ui/display.tsx'
import { Failure, Loading } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'

interface Words {
  readonly label: string
  readonly tone: Tone
  readonly advice: string
}

/** What somebody can do about it; nothing, where waiting is enough. */
const words: Readonly<Record<UpdateHold, Words>> = {
  up_to_date: { label: 'Up to date', tone: 'good', advice: '' },
  no_rollout: { label: 'Nothing goes out', tone: 'plain', advice: 'A new version comes once a rollout of it begins.' },
  stopped: {
    label: 'All updates stopped',
    tone: 'bad',
    advice: 'A system administrator lifts the stop under “Agent versions” once its reason is dealt with.',
  },
  rollout_paused: {
    label: 'Paused',
    tone: 'warn',
    advice: 'A system administrator lets the rollout go on under “Agent versions”.',
  },
  rollout_halted: {
    label: 'Halted',
    tone: 'bad',
    advice: 'Look at why devices failed under “Agent versions”, then let the rollout go on or cancel it.',
  },
  no_executable: {
    label: 'Not built for it',
    tone: 'warn',
    advice: 'The version has to be published for this system and processor too.',
  },
  auto_update_off: {
    label: 'Held',
    tone: 'warn',
    advice: '“Let the agent update itself” in the menu of actions turns updates on again.',
  },
  pinned: {
    label: 'Pinned',
    tone: 'info',
    advice: 'Take the pin away under “Agent versions” to let it follow rollouts.',
  },
  not_reached_yet: {
    label: 'Its ring is to come',
    tone: 'plain',
    advice: 'It is in a later stage. Nothing has to be done.',
  },
  offline: {
    label: 'Waits for it',
    tone: 'warn',
    advice: 'Bring the machine back; the offer follows within a minute.',
  },
  barred: {
    label: 'Barred',
    tone: 'bad',
    advice: 'Find out in the logs of the device why it failed, and publish a version that mends it.',
  },
  refused: {
    label: 'Refused',
    tone: 'bad',
    advice:
      'The reason is what the agent itself found wrong with the executable, such as a signature or a lack of space.',
  },
  rolled_back: {
    label: 'Went back',
    tone: 'bad',
    advice: 'The new version did not become healthy on this machine. Its logs around that time say why.',
  },
  in_progress: { label: 'Updating', tone: 'info', advice: '' },
  offered: {
    label: 'Offered',
    tone: 'info',
    advice: 'If it stays so for hours, look at the agent’s log on the machine.',
  },
  unknown: {
    label: 'Cannot be told',
    tone: 'warn',
    advice: 'Workers cannot read what is allowed. A system administrator should look at them.',
  },
}

/** Whether the agent runs the version that goes out, and if not, what holds it and what to do. */
export function AgentUpdate({ device }: { readonly device: Device }) {
  const answer = useApiQuery((api) => api.rollouts.updates.get, { id: device.id }, { everyMs: 30_000 })
  useRefreshOn((event) => event.type === 'device.changed' && event.deviceId === device.id, ['rollouts.updates.get'])
  const update = answer.data
  if (!update)
    return (
      <Card title="Agent update">
        {answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading lines={3} />}
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
            ['Runs', agentVersion],
            ['Goes out', target ?? 'no version'],
            ...(version && offeredAt
              ? [
                  [
                    'Offered last',
                    <span key="offered">
                      {version}, <Ago at={offeredAt} />
                    </span>,
                  ] as const,
                  ['Offers', offers] as const,
                ]
              : []),
            ...(state
              ? [['It said', [state, reason, error].filter(Boolean).join(': ').replaceAll('_', ' ')] as const]
              : []),
            ...(nextOfferAt ? [['Next offer', <Ago key="next" at={nextOfferAt} />] as const] : []),
            ...(barred.length > 0 ? [['Never again', barred.join(', ')] as const] : []),
          ]}
        />
      </div>
    </Card>
  )
}
