// Looking for what a bottle must not hold. What looks like a secret is reported; the test knows which ones are.
import { readFileSync, readdirSync } from 'node:fs';
import { blocked, shell, through } from './tools.mjs';

const LOOKS_SECRET = /\b[0-9a-f]{40,64}\b/g;
const NAMES = /TOKEN|SECRET|PASSWORD|CREDENTIAL|API_?KEY|AUTH/i;

/** Each environment that can be read: its own and those of all processes. */
function environments() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8');
      } catch {
        return '';
      }
    });
}

export const secrets = [
  {
    name: 'secret: environment',
    tries: 'a variable whose name or value is a secret’s',
    run: () => {
      const found = Object.entries(process.env).filter(
        ([name, value]) => NAMES.test(name) || LOOKS_SECRET.test(value),
      );
      return found.length === 0
        ? blocked(Object.keys(process.env).join(' '))
        : through(JSON.stringify(found));
    },
  },
  {
    name: 'secret: environments of others',
    tries: 'the same in every process',
    run: () => {
      const found = environments().flatMap((text) =>
        text.split('\0').filter((line) => NAMES.test(line.split('=')[0])),
      );
      return found.length === 0 ? blocked(`${environments().length} processes`) : through(found.join(' '));
    },
  },
  {
    name: 'secret: arguments of others',
    tries: 'the command lines of every process',
    run: () => {
      const text = shell('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "');
      const found = text.match(LOOKS_SECRET) ?? [];
      return found.length === 0 ? blocked(text.slice(0, 200)) : through(found.join(' '));
    },
  },
  {
    name: 'secret: git',
    tries: 'a remote, a credential or an address in the clone’s configuration',
    run: () => {
      const said = shell(
        'cd /workspace && git remote -v; git config --list | grep -iE "url|credential|extraheader|token"; true',
      );
      return said === '' ? blocked('none') : through(said);
    },
  },
  {
    name: 'secret: files',
    tries: 'every file of the bottle that is not the image’s',
    // Commit ids look the same: the test takes out what is really a secret.
    run: () => {
      const text = shell(
        'grep -rhaoE "\\b[0-9a-f]{40,64}\\b" /run /etc/bot-bottle /home /tmp /workspace 2>/dev/null | sort -u | head -n 2000',
      );
      return blocked(`looks like: ${text.split('\n').join(' ')}`);
    },
  },
];
