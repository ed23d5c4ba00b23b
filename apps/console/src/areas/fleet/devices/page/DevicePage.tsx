import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useParams, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useRefreshOn } from '../../../../live/Live.tsx'
import { useApiQuery } from '../../../../queries.ts'
import { useDeviceTabs } from '../../../../shell/areas.ts'
import { Badge } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { Loading } from '../../../../ui/page/states.tsx'
import { Tabs } from '../../../../ui/page/Tabs.tsx'
import { StatusMark, useCurrent } from '../status.tsx'
import { DeviceActions } from './DeviceActions.tsx'

const up = { label: 'Devices', to: '/devices' } as const

/** Everything about one device. */
export function DevicePage() {
  const { deviceId } = useParams({ from: '/app/devices/$deviceId' })
  const answer = useApiQuery((client) => client.devices.devices.get, { id: deviceId })
  useRefreshOn(
    (event) => event.type !== 'resync' && event.type !== 'device.heartbeat' && event.deviceId === deviceId,
    ['devices.devices.get'],
  )
  if (answer.data) return <Known device={answer.data} />
  return <PendingPage title="Device" up={up} answer={answer} />
}

function Known({ device }: { readonly device: DeviceDetail }) {
  const search = useSearch({ from: '/app/devices/$deviceId' })
  const tabs = useDeviceTabs(device)
  const tab = tabs.find(({ id }) => id === search.tab) ?? tabs[0]
  const { status } = useCurrent(device)
  const { displayName, hostname, tags } = device
  return (
    <Page
      fill={tab?.fills ?? false}
      title={displayName ?? hostname}
      up={up}
      badge={
        <span className="flex items-center gap-3 text-sm">
          <StatusMark status={status} />
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      }
      actions={<DeviceActions device={device} />}
    >
      <Tabs label="Parts of the device" tabs={tabs} open={tab?.id ?? ''} />
      <Suspense fallback={<Loading />}>{tab && <tab.Content device={device} />}</Suspense>
    </Page>
  )
}
