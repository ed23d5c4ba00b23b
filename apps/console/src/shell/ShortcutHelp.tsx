import { Dialog } from '../ui/Dialog.tsx'
import { Keys } from '../ui/Menu.tsx'
import { useScreens } from './areas.ts'

const everywhere = [
  ['Ctrl K', 'Search and do anything'],
  ['/', 'Search in this list'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['x', 'Select the row'],
  ['Enter', 'Open the row'],
  ['?', 'This list'],
] as const

/** The shortcuts, at a glance. */
export function ShortcutHelp({ open, close }: { readonly open: boolean; close(): void }) {
  const screens = useScreens().flatMap(({ keys, label }) => (keys ? [[keys, label] as const] : []))
  return (
    <Dialog open={open} close={close} title="Keyboard shortcuts" wide>
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {[everywhere, screens].map((list) => (
          <dl key={list === everywhere ? 'everywhere' : 'screens'} className="grid content-start gap-2 text-sm">
            {list.map(([keys, label]) => (
              <div key={keys} className="flex items-center justify-between gap-4">
                <dt>{label}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </Dialog>
  )
}
