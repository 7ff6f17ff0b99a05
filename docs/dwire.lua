-- SPDX-License-Identifier: GPL-2.0-or-later
-- dwire.lua: makes fields of the comments that dwire puts on packets (docs/PCAP.md), for display filters and columns:
-- dwire.pid == 1234, dwire.comm == "nginx", dwire.container contains "3f2504". Copy it into Wireshark's folder of
-- personal Lua plugins (Help, About, Folders), or: tshark -X lua_script:dwire.lua
local dwire = Proto("dwire", "dwire")

local fields = {
	["PID"] = ProtoField.uint32("dwire.pid", "Process", base.DEC),
	["Cmd"] = ProtoField.string("dwire.comm", "Command"),
	["Args"] = ProtoField.string("dwire.args", "Arguments"),
	["Pod"] = ProtoField.string("dwire.pod", "Kubernetes pod"),
	["Container"] = ProtoField.string("dwire.container", "Container"),
	["Runtime"] = ProtoField.string("dwire.runtime", "Container runtime"),
	["Verdict"] = ProtoField.string("dwire.verdict", "Verdict"),
	["Reason"] = ProtoField.string("dwire.reason", "Reason of the drop"),
	["Probe"] = ProtoField.string("dwire.probe", "Probe"),
}
for _, field in pairs(fields) do
	table.insert(dwire.fields, field)
end

local comments = Field.new("frame.comment")
local descriptions = Field.new("frame.interface_description")

-- A comment is "Key: value"; those of other programs have other keys, or no number where dwire has one.
local function add(tree, branch, buffer, comment)
	local key, value = comment:match("^(%u%a+): (.*)$")
	local field = key and fields[key]

	if key == "PID" then
		value = tonumber(value)
	end
	if field and value then
		branch = branch or tree:add(dwire, buffer(0, 0), "Owner, as dwire saw it")
		branch:add(field, value)
	end
	return branch
end

-- With -x capturelean the comments are lines of the interface's description, behind "netns: NAME".
function dwire.dissector(buffer, pinfo, tree)
	local branch, described = nil, descriptions()

	for _, comment in ipairs({ comments() }) do
		branch = add(tree, branch, buffer, tostring(comment.value))
	end
	described = described and tostring(described.value) or ""
	if described:match("^netns: ") then
		for line in described:gmatch("[^\n]+") do
			branch = add(tree, branch, buffer, line)
		end
	end
end

register_postdissector(dwire)
