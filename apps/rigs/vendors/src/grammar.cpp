// One JSON text a line, { "schema": …, "values": [text, …] }: what llama.cpp makes of the schema, and which texts its grammar takes.
#include <unistd.h>

#include <iostream>
#include <string>

#include "json-schema-to-grammar.h"
#include "llama-grammar.h"

static void silent(enum ggml_log_level, const char *, void *) {}

static bool takes(const llama_grammar & grammar, const std::string & text) {
    llama_grammar * copy = llama_grammar_clone_impl(grammar);
    bool taken = true;
    try {
        llama_grammar_accept_str(*copy, text);
        taken = false;
        for (const auto & stack : llama_grammar_get_stacks(copy)) taken = taken || stack.empty();
    } catch (const std::exception &) {
        taken = false;
    }
    llama_grammar_free_impl(copy);
    return taken;
}

int main() {
    // What cannot be said in a grammar is told on the standard error; it has to stand in front of the answer.
    dup2(STDOUT_FILENO, STDERR_FILENO);
    llama_log_set(silent, nullptr);
    std::string line;
    while (std::getline(std::cin, line)) {
        common_json answer = common_json::object();
        try {
            const common_json asked = common_json::parse(line);
            const std::string rules = json_schema_to_grammar(asked.at("schema"), true);
            llama_grammar * grammar = llama_grammar_init_impl(nullptr, rules.c_str(), "root", false, nullptr, 0, nullptr, 0);
            if (grammar == nullptr) answer["error"] = "no grammar: " + rules.substr(0, 300);
            else {
                common_json taken = common_json::array();
                for (const auto & value : asked.at("values")) taken.push_back(takes(*grammar, value.get<std::string>()));
                answer["taken"] = taken;
                llama_grammar_free_impl(grammar);
            }
        } catch (const std::exception & error) {
            answer["error"] = error.what();
        }
        std::cout << answer.dump() << std::endl;
    }
}
