// What an agent may do with its memory by itself, and what a person may ask of it in chat. Tools are defined in tools.json, which
// is made of the same classes as those of every other door; answers and errors come from the memory process.
import { readFileSync } from "node:fs";

const TOOLS = JSON.parse(readFileSync(new URL("./tools.json", import.meta.url), "utf8"));
const COMMAND_MS = 15_000;
// Names that a plugin of the host holds while it fills the memory slot, or is part of the host: ours has another one there.
const HELD = { "memory-core": ["memory_get", "memory_search"], "memory-lancedb": ["memory_recall", "memory_store", "memory_forget"] };
const HOSTS_OWN = ["message"];
const COMMANDS = {
  status: "How the memory is: what there is, when it grew last, what went wrong.",
  recall: "What the memory answers to TEXT; without any, what it learned lately.",
  pause: "Tell and keep nothing: for 30m, 2h or 7d, or until `off`.",
  forget: "Purge a memory for good: LAST, or its ID.",
};

// who(ctx): whose memory and who hears, as the host says, or why not; ask: the sidecar's request.
export function registerTools(api, settings, { who, ask }) {
  if (typeof api.registerTool !== "function") return;
  const wanted = TOOLS.filter((tool) => tool.usual || settings.config.tools === "all");
  for (const tool of wanted) {
    const name = nameOf(tool.name, api.config);
    const create = (ctx) => ({
      name,
      label: name,
      description: tool.description,
      parameters: tool.parameters,
      async execute(_id, given) {
        const asked = who(ctx);
        if (typeof asked === "string") throw new Error(`FORBIDDEN: ${asked}`);
        const result = await ask(tool.name, { ...asked, arguments: given ?? {} }, tool.seconds * 1000);
        return { content: [{ type: "text", text: JSON.stringify(result) }], details: result };
      },
    });
    api.registerTool(create, { name });
  }
}

// Where the host, or the plugin that fills its memory slot, has a tool of that name, ours is palace_….
export function nameOf(name, config) {
  const plugins = config?.plugins ?? {};
  const slot = plugins.slots?.memory ?? "memory-core";
  const there = slot !== "none" && plugins.entries?.[slot]?.enabled !== false && (!plugins.allow?.length || plugins.allow.includes(slot));
  const held = [...HOSTS_OWN, ...((there && HELD[slot]) || [])];
  return held.includes(name) ? `palace_${name.replace(/^memory_/, "")}` : name;
}

export function registerCommands(api, { who, ask }) {
  if (typeof api.registerCommand !== "function") return;
  for (const [name, description] of Object.entries(COMMANDS)) {
    const handler = async (ctx) => {
      try {
        const asked = who(ctx);
        if (typeof asked === "string") return { text: `No memory here: ${asked}.` };
        return { text: (await ask("chat_command", { ...asked, workspaceDir: undefined, name, arguments: ctx.args ?? "" }, COMMAND_MS)).text };
      } catch (error) {
        return { text: `The memory cannot be asked: ${error?.message ?? error}` };
      }
    };
    for (const spelt of [`memory${name}`, `membrane${name}`]) {
      api.registerCommand({ name: spelt, description, acceptsArgs: true, requireAuth: true, handler });
    }
  }
}
