import { Keys } from '../ui/button/Menu.tsx'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { useScreens } from './areas.ts'

const everywhere = [
  ['Ctrl K', 'Search or jump to'],
  ['/', 'Search this list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['x', 'Select row'],
  ['Enter', 'Open row'],
  ['?', 'Show shortcuts'],
] as const

/** The list of keyboard shortcuts. */
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
