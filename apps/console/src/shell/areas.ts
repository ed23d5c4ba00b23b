import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { createContext, use } from 'react'
import type { Action, Area, DeviceAction, DeviceTab, InboxEntry, Screen } from '../area.ts'
import { useCan, useMe } from '../session/session.tsx'

/** The areas of the console. The shell reads them from here, because their routes depend on the shell. */
export const AreasContext = createContext<readonly Area[]>([])

type Limited = Pick<Screen, 'needs' | 'scopes'>

function useAllowed<Entry extends Limited>(of: (area: Area) => readonly Entry[] | undefined): readonly Entry[] {
  const { scope } = useMe()
  const can = useCan()
  return use(AreasContext)
    .flatMap((area) => of(area) ?? [])
    .filter(({ needs, scopes }) => (!needs || can(needs)) && (!scopes || scopes.includes(scope)))
}

/** The screens that the signed-in user may open. */
export const useScreens = (): readonly Screen[] => useAllowed(({ screens }) => screens)
/** The forms that the signed-in user may open from anywhere. */
export const useActions = (): readonly Action[] => useAllowed(({ actions }) => actions)
/** The work that can wait for the signed-in user. */
export const useInbox = (): readonly InboxEntry[] => useAllowed(({ inbox }) => inbox)
/** The notices above all screens. */
export const useBanners = () => useAllowed(({ banners }) => banners)
/** The tabs of a device's page, in their order; while the device loads, those that all devices have. */
export const useDeviceTabs = (device: DeviceDetail | undefined): readonly DeviceTab[] =>
  useAllowed(({ deviceTabs }) => deviceTabs)
    .filter(({ shows }) => shows === undefined || (device !== undefined && shows(device)))
    .toSorted((one, other) => one.order - other.order)
/** The actions on a device that the palette offers on its page. */
export const useDeviceActions = (): readonly DeviceAction[] => useAllowed(({ deviceActions }) => deviceActions)
